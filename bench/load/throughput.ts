import { EndToEndLoad, type EndToEndLoadOptions } from './end-to-end-load.ts'
import type { EventReceiver } from './event-receiver.ts'
import { type BenchSource, ServiceProcess } from './service-process.ts'

/** A service whose throughput is measured, and its load. */
export interface LoadedService {
  readonly service: ServiceProcess
  readonly source: BenchSource
  readonly load?: Pick<EndToEndLoadOptions, 'count' | 'destinations' | 'like'>
}

/** The number of calls per request, as in client libraries. */
export const BATCH = 20

/** The events per second from call to receiver. */
export async function throughput(
  receiver: EventReceiver,
  { service, source: { writeKey }, load }: LoadedService,
  seconds: number,
): Promise<number> {
  const options = { port: service.port, writeKey, receiver, count: BATCH, ...load }
  await using endToEndLoad = await EndToEndLoad.open(options)
  return await endToEndLoad.throughput(seconds)
}

/** Starts a service with an empty database and destinations that send to `receiver`. */
export async function emptyService(
  receiver: EventReceiver,
  destinations = 1,
): Promise<LoadedService> {
  const service = await ServiceProcess.start()
  const urls = Array.from({ length: destinations }, (_, index) => receiver.urlOf(`/hook-${index}`))
  return { service, source: await service.addSource(...urls) }
}
