import { PLANS, type Plan } from "@minutes/contract";

/** Reads a stored plan; one that this version does not know allows the least. */
export const planOf = (stored: string): Plan => PLANS.find((plan) => plan === stored) ?? "free";
