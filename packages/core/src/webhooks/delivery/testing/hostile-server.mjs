// Misbehaving receivers, in their own process so that their memory is not the sender's. Prints its port.
import { readFileSync } from "node:fs";
import { createServer } from "node:tls";

const [certFile, keyFile] = process.argv.slice(2);
const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
const pour = (socket) => {
  if (socket.destroyed) return;
  if (socket.write(chunk)) setImmediate(pour, socket);
  else socket.once("drain", () => pour(socket));
};
const drip = (socket, bytes) => {
  const timer = setInterval(() => socket.write(bytes), 500);
  socket.once("close", () => clearInterval(timer));
};
const behaviors = {
  endless: (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    pour(socket);
  },
  drip: (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    drip(socket, "x: y\r\n");
  },
  slowBody: (socket) => {
    socket.write("HTTP/1.1 500 No\r\ncontent-length: 100000\r\n\r\n");
    drip(socket, "x");
  },
  headers: (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${`x: ${"y".repeat(1000)}\r\n`.repeat(100)}`);
  },
  silent: () => {},
  garbage: (socket) => socket.end("\0\u0001nonsense\r\n\r\n"),
  closes: (socket) => socket.destroy(),
};
const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (socket) => {
  socket.on("error", () => {});
  socket.once("data", (bytes) => behaviors[/^POST \/(\w+)/.exec(bytes.toString("latin1"))?.[1]]?.(socket));
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
