import type { ManagementApi } from '../../api/management-api.ts'
import { destinationNames } from '../../output/names.ts'
import type { Output } from '../../output/output.ts'
import { traceText } from '../../output/events/trace-text.ts'

/** Prints what happened to an event. */
export async function showTrace(
  output: Output,
  api: ManagementApi,
  eventId: string,
): Promise<void> {
  const trace = await api.getEvent(eventId)
  const names = await destinationNames(api, output)
  output.data(trace, () => traceText(output, trace, names))
}
