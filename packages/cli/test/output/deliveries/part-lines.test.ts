import { describe, expect, it } from 'vitest'
import type { Delivery } from '../../../src/api/generated/management-client.ts'
import { Output } from '../../../src/output/output.ts'
import { partLines } from '../../../src/output/deliveries/part-lines.ts'

type Part = Delivery['webhooks'][number]
type Reason = NonNullable<Part['waiting']>['reason']

const URL = 'https://crm.example/hook'
const SINCE = '2026-07-01T11:40:00.000Z'
const NEXT = '2026-07-01T12:04:00.000Z'
const IDS = { id: 'msg_1', destinationId: 'dst_1' }

function linesOf(state: Part['state'], reason?: Reason, nextAttemptAt: string | null = null) {
  const waiting = reason
    ? { reason, since: SINCE, nextAttemptAt, explanation: '', remedy: null }
    : null
  const part = {
    url: URL,
    state,
    firstDueAt: SINCE,
    nextAttemptAt,
    waiting,
    lastAttempt: null,
  } as const
  return partLines(new Output({}), { ...part, outcome: 'retry' }, IDS)
}

describe('the lines for a webhook', () => {
  it.for([
    ['delivered', 'delivered'],
    ['expired', 'expired'],
    ['not_retried', 'not retried: another webhook accepted the event'],
    ['removed', 'removed before delivery'],
  ] as const)('describe the outcome of the event: %s', ([state, text]) => {
    expect(linesOf(state)).toEqual([`${URL} ${text}`])
  })

  it('explain why an event is waiting, since when, and until when', () => {
    expect(linesOf('pending', 'breaker_open', NEXT)).toEqual([
      `${URL} pending: breaker open after too many failed attempts`,
      `  since ${SINCE}, next attempt ${NEXT}`,
      '  Retry now: hookline destinations close-breaker dst_1',
    ])
  })

  it('name the command that resumes a held event', () => {
    expect(linesOf('held', 'webhook_paused')).toEqual([
      `${URL} held: the webhook is paused`,
      `  since ${SINCE}, no attempt scheduled`,
      '  Resume it: hookline destinations resume dst_1',
    ])
  })

  it('explain what to do before resuming a webhook that its receiver disabled', () => {
    expect(linesOf('held', 'webhook_gone').at(-1)).toBe(
      '  Correct the URL, remove the webhook, or run `hookline destinations resume dst_1`.',
    )
    expect(linesOf('held', 'disabled_by_receiver').at(-1)).toBe(
      '  Ask the owner of the receiver, then run `hookline destinations resume dst_1`, or remove the webhook.',
    )
  })
})
