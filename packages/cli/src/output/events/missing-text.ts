import type { ManagementApi } from '../../api/management-api.ts'
import { printableText } from '../safe-text.ts'

type Cause = Awaited<ReturnType<ManagementApi['explainMissingEvent']>>['causes'][number]

/** One line for each cause, most likely first. */
export function missingLines(causes: readonly Cause[]): string[] {
  return causes.map(({ code, message, remedy, evidence }) =>
    printableText(`${code}${factsOf(evidence)}: ${message} ${remedy}`),
  )
}

/** ` (unknown_write_key, count 3, last at …)` */
function factsOf({ count, since, lastAt, code, eventId, sourceId, deletionId }: Cause['evidence']) {
  const facts = [
    code,
    eventId,
    sourceId,
    deletionId,
    ...(count === undefined ? [] : [`count ${count}`]),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(lastAt === undefined ? [] : [`last at ${lastAt}`]),
  ].filter((fact) => fact !== undefined)
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`
}
