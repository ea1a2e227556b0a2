# expect: incomplete; reason: asyncio
import asyncio, threading

async def nothing():
    await asyncio.sleep(0)

def work():
    asyncio.run(nothing())


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
