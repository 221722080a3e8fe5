import { CONCURRENCY, event, openDelivery } from '../load/delivery-request.ts'
import { serveRequests } from '../load/serve-requests.ts'

// The loop that delivery is compared with: the same requests, signatures and concurrency, but no records.

const deliver = openDelivery(Number(process.argv[2]))

async function rate({ seconds }: { readonly seconds: number }): Promise<number> {
  let sent = 0
  const started = performance.now()
  const end = started + seconds * 1000
  const loops = Array.from({ length: CONCURRENCY }, async () => {
    for (; performance.now() < end; sent++) await deliver(event())
  })
  await Promise.all(loops)
  return sent / ((performance.now() - started) / 1000)
}

process.on('SIGTERM', () => process.exit())
serveRequests({ rate }, 'ready')
