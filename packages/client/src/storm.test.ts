import { testStorms } from "../test/storm.js";

// A smaller quota than the usual 100: as many windows, fewer calls.
testStorms(40);
