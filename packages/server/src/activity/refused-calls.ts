import type { Metrics } from '../telemetry/metrics.ts'

/** Calls refused since the start, by code, as the metrics have them. */
export async function refusedCalls({
  ingestEvents,
}: Metrics): Promise<ReadonlyMap<string, number>> {
  const { values } = await ingestEvents.get()
  const counts = values.map(({ labels, value }) => [String(labels.result), value] as const)
  return new Map(counts.filter(([result]) => result !== 'accepted'))
}
