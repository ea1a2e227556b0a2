"""The state graph of a model as a local web page: walk, go back, see orbits, jump to a violation.

`start` opens it: `graph` looks at states, `search` looks for violations in the background, `server` answers the page in
`assets`, which `app` and `view` write.
"""

__all__ = ["start"]
