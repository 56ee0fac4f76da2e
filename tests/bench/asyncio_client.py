"""A load generator in the ordinary style, for comparison: one process, asyncio and aiohttp, a
task per request, json.loads per chunk, time stamps after parsing.

Usage: asyncio_client.py PORT RATE SECONDS TOKENS [PROMPT_TOKENS [TTFT_MS ITL_MS]]
Sends RATE requests/s, open loop, for SECONDS; prints one line of JSON. With the server's law of service, the
receive lag is each token's time since the request was sent, less that law: it holds the client's own
queueing, and a few tens of microseconds of network and server."""
import asyncio
import json
import resource
import sys
import time

import aiohttp


def percentile(values, share):
    """Of a sorted list; None of an empty one."""
    return round(values[int(share * (len(values) - 1))], 3) if values else None


class Client:
    def __init__(self, port, rate, seconds, tokens, prompt_tokens=8, ttft_ms=0.0, itl_ms=0.0):
        self.url = f"http://127.0.0.1:{port}/v1/completions"
        self.rate, self.planned = rate, rate * seconds
        self.body = {"model": "m", "prompt": [1000 + i % 1000 for i in range(prompt_tokens)],
                     "max_tokens": tokens, "stream": True, "ignore_eos": True}
        self.law_ns = (ttft_ms * 1e6, itl_ms * 1e6)
        self.sent = self.completed = self.failed = self.open = self.open_max = self.tokens = 0
        self.lags_us, self.ttfts_ms, self.send_lags_ms = [], [], []

    async def read(self, response, sent_ns):
        count = 0
        async for line in response.content:
            line = line.strip()
            if not line.startswith(b"data: ") or line == b"data: [DONE]":
                continue
            chunk = json.loads(line[6:])
            if not chunk["choices"] or not chunk["choices"][0]["text"]:
                continue
            elapsed_ns = time.perf_counter_ns() - sent_ns
            if count == 0:
                self.ttfts_ms.append(elapsed_ns / 1e6)
            self.lags_us.append((elapsed_ns - self.law_ns[0] - count * self.law_ns[1]) / 1e3)
            count += 1
        return count

    async def one(self, session):
        self.open += 1
        self.open_max = max(self.open_max, self.open)
        sent_ns = time.perf_counter_ns()
        try:
            async with session.post(self.url, json=self.body) as response:
                response.raise_for_status()
                count = await self.read(response, sent_ns)
            self.tokens += count
            self.completed += 1
        except (aiohttp.ClientError, asyncio.TimeoutError, OSError):
            self.failed += 1
        self.open -= 1

    async def run(self):
        connector = aiohttp.TCPConnector(limit=0)
        timeout = aiohttp.ClientTimeout(total=120)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
            start_ns = time.perf_counter_ns()
            tasks = []
            for i in range(self.planned):
                due_ns = start_ns + i * 1e9 / self.rate
                await asyncio.sleep(max(0, (due_ns - time.perf_counter_ns()) / 1e9))
                self.send_lags_ms.append((time.perf_counter_ns() - due_ns) / 1e6)
                tasks.append(asyncio.create_task(self.one(session)))
                self.sent += 1
            await asyncio.gather(*tasks)
            return (time.perf_counter_ns() - start_ns) / 1e9

    def report(self, elapsed_s, cpu_s):
        lags_us, ttfts_ms = sorted(self.lags_us), sorted(self.ttfts_ms)
        print(json.dumps({
            "client": "asyncio", "planned": self.planned, "sent": self.sent,
            "completed": self.completed, "failed": self.failed, "tokens": self.tokens,
            "tokens_per_s": round(self.tokens / elapsed_s), "open_max": self.open_max,
            "cpu_us_per_token": round(cpu_s * 1e6 / max(self.tokens, 1), 3),
            "receive_lag_us": {"p50": percentile(lags_us, 0.5), "p99": percentile(lags_us, 0.99)},
            "ttft_ms": {"p50": percentile(ttfts_ms, 0.5), "p99": percentile(ttfts_ms, 0.99)},
            "send_lag_max_ms": round(max(self.send_lags_ms), 3)}))


def main():
    numbers = sys.argv[1:]
    if len(numbers) not in (4, 5, 7):
        sys.exit("usage: asyncio_client.py PORT RATE SECONDS TOKENS [PROMPT_TOKENS [TTFT_MS ITL_MS]]")
    client = Client(*map(int, numbers[:5]), *map(float, numbers[5:]))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    cpu_s = time.process_time()
    elapsed_s = asyncio.run(client.run())
    client.report(elapsed_s, time.process_time() - cpu_s)
    return 0 if client.completed == client.planned else 1


sys.exit(main())
