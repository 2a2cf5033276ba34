// In front of a service, for examiners that send no token: it puts the token in, and calls the service by its own
// port, as a proxy does.
import http from "node:http";

const [port, token] = process.argv.slice(2);
const server = http.createServer((request, answer) => {
  const own = String(server.address().port);
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  for (const name of ["host", "origin"])
    if (headers[name]) headers[name] = headers[name].replace(`:${own}`, `:${port}`);
  const passed = http.request({ host: "127.0.0.1", port, path: request.url, method: request.method, headers }, (from) => {
    answer.writeHead(from.statusCode, from.headers);
    from.pipe(answer);
  });
  passed.on("error", () => answer.destroy());
  answer.on("close", () => passed.destroy());
  request.pipe(passed);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
