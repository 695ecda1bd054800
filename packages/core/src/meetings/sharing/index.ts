export { listReaders } from "./list.js";
export { sendAccessRequestMails } from "./mail-requests.js";
export { shareMeeting, shareTag, unshareMeeting, unshareTag } from "./share.js";
export { previewReaders, shareWithPeople } from "./share-with-people.js";
