import { describeGrowth } from "../testing/growth.js";

// Quadratic time is seen in texts of some thousand characters; the soak tries texts of 80,000.
describeGrowth({ divisor: 8, fast: 1 });
