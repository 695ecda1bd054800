// Floods a server from a separate process. Its parent sends one message: { port, connections, packets, read }.
import net from "node:net";

/** Delay before a closed connection is reopened, in ms. */
const RECONNECT_PAUSE = 1_000;
/** Interval between the bytes by which a connection that reads nothing notices its end, in ms. */
const POLL = 100;

process.once("message", ({ port, connections, packets, read }) => {
  let next = 0;
  const takePacket = () => packets[next++ % packets.length];
  const connect = () => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(takePacket()));
    const poll = setInterval(() => socket.write(read ? "" : "\r\n"), POLL);
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(poll);
      setTimeout(connect, RECONNECT_PAUSE);
    });
    if (read) socket.on("data", () => socket.write(takePacket()));
    else socket.pause();
  };
  for (let count = 0; count < connections; count++) connect();
});
process.once("disconnect", () => process.exit(0));
