import type { JsonObject } from '@hookline/protocol'
import type { FailureGroup } from '../backend/deliveries.ts'
import { type ConditionName, CONDITIONS } from './conditions.ts'

/** The service, source, destination or node that has a problem. */
export interface ProblemSubject {
  readonly kind: 'service' | 'source' | 'destination' | 'node'
  /** Empty for the service, and for calls without a known source. */
  readonly id: string
  readonly name: string
}

/** A condition that applies to a subject now. */
export interface Finding {
  readonly condition: ConditionName
  readonly subject: ProblemSubject
  /** Distinguishes findings with the same condition and subject. */
  readonly detail: string
  readonly title: string
  /** The start of the title, before a colon: the name of the destination, or of one of its webhooks. */
  readonly label?: string
  readonly remedy: string
  /** In milliseconds since the epoch; `null` if unknown. */
  readonly since: number | null
  readonly count: number | null
  /** The URL of the webhook; `null` if the finding is about none, or all. */
  readonly url: string | null
  /** The host of `url`, or of the destination's only webhook. */
  readonly host?: string
  /** The result of the last failed attempt, without bodies, secrets or user data. */
  readonly reason?: string
  /** The deliveries that failed with that result. */
  readonly failure?: FailureGroup
  /** Additional properties of its alert, without user data. */
  readonly details?: JsonObject
  /** A path in the console. */
  readonly to: string
}

export function finding(
  condition: ConditionName,
  subject: ProblemSubject,
  title: string,
  { to, ...more }: Partial<Finding> & Pick<Finding, 'to'>,
): Finding {
  const { remedy } = CONDITIONS[condition]
  const none = { detail: '', since: null, count: null, url: null }
  return { condition, subject, title, remedy, ...none, ...more, to }
}

export function duration(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_800_000) return `${Math.round(ms / 360_000) / 10} h`
  return `${Math.round(ms / 86_400_000)} days`
}
