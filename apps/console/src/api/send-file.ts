import { getUserHeader, setOtherAccount } from "./shown-user";
import { NotReached, readErrorMessage } from "./transport";

interface FileRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Blob | string;
  readonly signal?: AbortSignal;
  /** Called with the number of bytes sent. */
  readonly onProgress?: (loaded: number, total: number) => void;
}

/**
 * Sends a request with the session cookie, and reports how much of its body is sent, which `fetch` can't. Fails with the API's
 * message, status and seconds to wait, as calls do.
 * @throws NotReached if the connection was cut, or the signal's reason
 */
export function sendFile(
  method: "POST" | "PATCH",
  path: string,
  { headers, body, signal, onProgress }: FileRequest,
): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, path);
    for (const [name, value] of Object.entries({ ...headers, ...getUserHeader() }))
      request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded, total);
    const abort = () => request.abort();
    signal?.addEventListener("abort", abort);
    request.onloadend = () => signal?.removeEventListener("abort", abort);
    request.onabort = () => reject(signal?.reason);
    request.onerror = () => reject(new NotReached());
    request.onload = () => {
      const { status, response } = request;
      if (status >= 200 && status < 300) return resolve(request);
      if (request.getResponseHeader("x-sign-in") === "other") setOtherAccount(true);
      const retryAfter = Number(request.getResponseHeader("retry-after") ?? 0);
      const error = new Error(readErrorMessage(response, status, retryAfter));
      reject(Object.assign(error, { data: { httpStatus: status, retryAfter } }));
    };
    request.send(body ?? null);
  });
}
