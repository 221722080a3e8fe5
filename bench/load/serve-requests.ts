import { startProfiles, stopProfiles } from '../profile/own-profiles.ts'

/** A request from the benchmark. `name` is the function that handles it. */
interface BenchmarkRequest {
  readonly name: string
  readonly seconds: number
}

/** The functions that handle the benchmark's requests, by name. */
type Handlers = Readonly<Record<string, (request: BenchmarkRequest) => unknown>>

/** The functions that every program provides. */
const COMMON: Handlers = { usage, 'profile start': startProfiles, profile: stopProfiles }

/** Reports that the program is ready, and handles the benchmark's requests. The program exits if a function fails. */
export function serveRequests(own: Handlers, ready: unknown): void {
  const handlers = { ...COMMON, ...own }
  process.on('message', async (request: BenchmarkRequest) => {
    const response: unknown = await handlers[request.name]!(request)
    process.send!(response ?? null)
  })
  process.send!(ready)
}

/** CPU time of all threads since the process started, in microseconds, and resident memory. */
function usage(): object {
  const { user, system } = process.cpuUsage()
  return { cpuMicros: user + system, residentBytes: process.memoryUsage.rss() }
}
