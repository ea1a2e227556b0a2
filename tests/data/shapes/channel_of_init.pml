/* The channel belongs to init, and is passed to everybody. */
proctype W(chan c) { byte v; c?v; c!v }
init { chan c = [2] of { byte }; atomic { run W(c); run W(c); run W(c) } c!1; c!2 }
