import { testStorms } from "../test/storm.js";

// A smaller key than the usual one of 100: the windows are as many, and the calls fewer.
testStorms(40);
