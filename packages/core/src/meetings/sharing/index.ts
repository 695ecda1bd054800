export { shareMeeting, shareTag, unshareMeeting, unshareTag } from "./share.js";
