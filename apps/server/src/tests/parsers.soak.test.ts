import { describeGrowth } from "../testing/growth.js";

describeGrowth({ divisor: 1, fast: 20 });
