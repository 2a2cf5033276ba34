"use strict";
const { make } = require("./saver.cjs");
const { PawlSaver } = make(require("@langchain/langgraph-checkpoint"), require("pawl"));

module.exports = { PawlSaver };
