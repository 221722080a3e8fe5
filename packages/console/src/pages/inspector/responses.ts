import { LIMITS } from '@hookline/protocol'
import type { api } from '../../api/client.ts'
import { countText, duration } from '../../format/figures.ts'

export type ResponseConfig = Awaited<ReturnType<typeof api.getInspector>>['responses']

export const PRESETS: readonly (readonly [label: string, responses: ResponseConfig])[] = [
  ['200 immediately', { status: 200, delayMs: 0, failFirst: null }],
  ['Fail the first 2 attempts with 503', { status: 503, delayMs: 0, failFirst: 2 }],
  ['Time out (6 s)', { status: 200, delayMs: 6_000, failFirst: null }],
]

export function isSame(one: ResponseConfig, other: ResponseConfig): boolean {
  return (
    one.status === other.status &&
    one.delayMs === other.delayMs &&
    one.failFirst === other.failFirst
  )
}

export function responsesSentence({ status, delayMs, failFirst }: ResponseConfig): string {
  const statuses =
    failFirst === null || status === 200
      ? `with ${status} to every request`
      : `with ${status} to the first ${firstAttempts(failFirst)} of each delivery, then with 200`
  const when = delayMs === 0 ? 'immediately' : `after ${duration(delayMs)}`
  const isTimeout = delayMs >= LIMITS.attemptTimeoutMs
  const note = ` By default, attempts time out after ${duration(LIMITS.attemptTimeoutMs)} and are retried.`
  return `Responds ${when}: ${statuses}.${isTimeout ? note : ''}`
}

function firstAttempts(count: number): string {
  return count === 1 ? 'attempt' : countText(count, 'attempt')
}
