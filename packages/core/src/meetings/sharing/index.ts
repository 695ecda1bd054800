export { sendAccessRequestMails } from "./mail-requests.js";
export { shareMeeting, shareTag, unshareMeeting, unshareTag } from "./share.js";
