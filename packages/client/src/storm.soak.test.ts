import { testStorms } from "../test/storm.js";

testStorms(100);
