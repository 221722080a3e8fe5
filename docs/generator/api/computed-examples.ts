import { type Audience, type ComputedTrait, type Json, webhookPayload } from '@hookline/protocol'
import { identifyOf } from '../../../packages/server/src/audiences/evaluation/announcement.ts'
import { code, fence, list, table } from '../markdown.ts'

const AT = Date.parse('2026-11-21T09:31:00.250Z')

const record = {
  space: 'default',
  destinationIds: [],
  enabled: true,
  createdAt: 0,
  updatedAt: 0,
  version: 1,
}

const AUDIENCE: Audience = {
  ...record,
  kind: 'audience',
  id: 'aud_01m81grcbgedzt0s6b232e4pp8',
  name: 'Team plan',
  key: 'team_plan',
  condition: { trait: 'plan', op: 'equals', value: 'team' },
}

const TRAIT: ComputedTrait = {
  ...record,
  kind: 'trait',
  id: 'trt_01m81gsq2yf4x9d3kz0v7c5hwn',
  name: 'Revenue 30d',
  key: 'revenue_30d',
  compute: { fn: 'sum', event: 'Order Completed', property: 'revenue', within: { days: 30 } },
}

/** What tells a change of an audience or of a computed trait, with an example of each. */
export function computedExamples(): string[] {
  return [
    'Who enters an audience:',
    fence('json', bodyOf(AUDIENCE, true, 1)),
    'Who leaves it:',
    fence('json', bodyOf(AUDIENCE, false, 2)),
    'A new value of a computed trait:',
    fence('json', bodyOf(TRAIT, 39.95, 1)),
    table(
      ['field of `context.audience` and `context.computedTrait`', 'meaning'],
      [
        [code('id'), 'The id: `aud_…` or `trt_…`.'],
        [code('name'), 'The name. It may change.'],
        [code('key'), 'The name of the trait. It never changes.'],
        [code('syncId'), '`syn_…` if a full sync found the change, else `null`.'],
      ],
    ),
    list([
      'The value of an audience is `true` or `false`. That of a computed trait is any value of JSON: a number, a text, a list, or `null` when nothing is left. [Operators and functions](audience-operators.md) says which.',
      'Each change has a later `timestamp` than the one before, for one user and one audience or computed trait. Keep the newest, because deliveries have no order.',
      'When an audience is created, there is one payload for each member; after that, only for changes.',
      'There is a `userId` always, and no `anonymousId`. The same change has the same `messageId`.',
      'Nobody leaves an audience because of a deletion request: there is only the deletion notice.',
    ]),
  ]
}

function bodyOf(computation: Audience | ComputedTrait, value: Json, number: number): string {
  const at = AT + number
  const told = { computation, userId: 'u1', value, number, at, syncId: null, now: at }
  return webhookPayload(identifyOf(told).event)
}
