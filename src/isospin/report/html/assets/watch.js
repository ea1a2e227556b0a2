"use strict";
/* Expressions over recorded values: numbers, names of the run, and the operators of C.  Nothing is ever executed: a small
   parser makes a tree, and the tree is computed for the values of a step.  What cannot be known is said to be unknown. */

const LEVELS = [["||"], ["&&"], ["==", "!="], ["<=", ">=", "<", ">"], ["+", "-"], ["*", "/", "%"]];
const SYMBOL = /^\s*(\|\||&&|==|!=|<=|>=|[-+*/%<>!()[\]])/;

class Unknown extends Error {}

class Expression {
  /* `names` are the variables of the run, `words` the values that are no numbers. */
  constructor(text, names, words) {
    this.rest = text;
    this.names = [...names].sort((a, b) => b.length - a.length);
    this.words = words;
    this.tree = this.level(0);
    if (this.rest.trim()) throw new Unknown(`“${this.rest.trim()}” is not understood`);
  }

  take(symbols) {
    const found = SYMBOL.exec(this.rest);
    if (!found || !symbols.includes(found[1])) return null;
    this.rest = this.rest.slice(found[0].length);
    return found[1];
  }

  level(number) {
    if (number === LEVELS.length) return this.unary();
    let left = this.level(number + 1);
    for (let op = this.take(LEVELS[number]); op; op = this.take(LEVELS[number])) left = binary(op, left, this.level(number + 1));
    return left;
  }

  unary() {
    const op = this.take(["!", "-"]);
    if (!op) return this.operand();
    const inner = this.unary();
    return op === "!" ? (at) => Number(!truth(inner(at))) : (at) => -number(inner(at));
  }

  operand() {
    if (this.take(["("])) {
      const inner = this.level(0);
      if (!this.take([")"])) throw new Unknown("a parenthesis is not closed");
      return inner;
    }
    this.rest = this.rest.trimStart();
    const digits = /^\d+/.exec(this.rest);
    if (digits) return this.skip(digits[0], constant(Number(digits[0])));
    const known = this.names.find((name) => this.begins(name));
    if (known !== undefined) return this.skip(known, value(() => known));
    return this.indexed();
  }

  /* Does the text begin with this name, and not go on as a longer one? */
  begins(name) { return this.rest.startsWith(name) && !(/\w$/.test(name) && /^[\w[]/.test(this.rest.slice(name.length))); }

  skip(text, tree) {
    this.rest = this.rest.slice(text.length);
    return tree;
  }

  /* `a[i + 1]`: the name is known when the index is */
  indexed() {
    const word = /^[A-Za-z_][\w.#:]*/.exec(this.rest)?.[0];
    if (!word) throw new Unknown(this.rest ? `“${this.rest}” is not understood` : "something is missing at the end");
    this.rest = this.rest.slice(word.length);
    if (!this.take(["["])) {
      if (this.words.has(word)) return constant(word);
      throw new Unknown(`there is no ${word} in this run`);
    }
    const index = this.level(0);
    if (!this.take(["]"])) throw new Unknown("a bracket is not closed");
    const more = /^[.:]\w+/.exec(this.rest)?.[0] ?? "";
    this.rest = this.rest.slice(more.length);
    return value((at) => `${word}[${number(index(at))}]${more}`);
  }
}

const constant = (value) => () => value;

const value = (name) => (at) => {
  const found = at.get(name(at));
  if (found === undefined) throw new Unknown(`${name(at)} is not known here`);
  return /^-?\d+$/.test(found) ? number(Number(found)) : found;
};

const number = (value) => {
  if (!Number.isSafeInteger(value)) throw new Unknown("this is not a number");
  return value;
};

const truth = (value) => number(value) !== 0;

const divided = (a, b, op) => {
  if (b === 0) throw new Unknown("division by zero");
  return op === "/" ? Math.trunc(a / b) : a % b;
};

const COMPUTE = {
  "<": (a, b) => Number(a < b), "<=": (a, b) => Number(a <= b), ">": (a, b) => Number(a > b), ">=": (a, b) => Number(a >= b),
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => divided(a, b, "/"), "%": (a, b) => divided(a, b, "%"),
};

const binary = (op, left, right) => {
  if (op === "||") return (at) => Number(truth(left(at)) || truth(right(at)));
  if (op === "&&") return (at) => Number(truth(left(at)) && truth(right(at)));
  if (op === "==" || op === "!=") return (at) => Number((left(at) === right(at)) === (op === "=="));
  return (at) => number(COMPUTE[op](number(left(at)), number(right(at))));
};

/* The value at each step; null where it is not known. */
function valuesAlong(expression, steps) {
  return steps.map((at) => {
    try { return String(expression.tree(at)); } catch (problem) { if (problem instanceof Unknown) return null; throw problem; }
  });
}
