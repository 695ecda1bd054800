export { openPublicLink, type SharedMeeting } from "./open.js";
