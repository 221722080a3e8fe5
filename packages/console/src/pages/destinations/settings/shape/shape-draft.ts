import {
  type Format,
  FORMATS,
  isJsonObject,
  type Json,
  type JsonObject,
  type Sample,
  SAMPLE_FIELDS,
  WEBHOOK_METHODS,
  type WebhookMethod,
} from '@hookline/protocol'
import type { Notation } from '../../../../domain/conditions/draft/notation.ts'
import { BLANK, nameText } from '../../../../domain/conditions/draft/words.ts'
import { draftId, numberIn, textOf } from '../../../../domain/conditions/draft/written.ts'

/** What happens to a field. `email`: hashed after it is normalised. */
export type Rule = 'drop' | 'hash' | 'email' | 'keep'

export interface RuleDraft {
  readonly id: string
  readonly rule: Rule
  readonly path: string
}

interface SampleDraft {
  readonly percent: string
  /** `null`: the default. */
  readonly by: Sample['by'] | null
}

/** The sample, the field rules, the format and the method, being edited. */
export interface ShapeDraft {
  /** `null`: all users. */
  readonly sample: SampleDraft | null
  readonly rules: readonly RuleDraft[]
  /** The salt of the stored rules. */
  readonly salt: Json | undefined
  /** `null`: the default. */
  readonly format: Format | null
  /** `null`: the default. */
  readonly method: WebhookMethod | null
}

export const SHAPES: Notation<ShapeDraft> = {
  newDraft: () => draftOf({}),
  draftOf,
  jsonOf: ({ sample, rules, salt, format, method }) => ({
    ...(sample !== null && { sample: sampleOf(sample) }),
    ...(rules.length > 0 && { fields: fieldsOf(rules, salt) }),
    ...(format !== null && { format }),
    ...(method !== null && { method }),
  }),
  isComplete: ({ sample, rules }) =>
    (sample === null || numberIn(sample.percent) !== undefined) &&
    rules.every(({ path }) => path !== ''),
  describe: ({ sample, rules, format, method }) =>
    [
      sample === null ? 'All users' : describeSample(sample),
      ...(rules.length === 0 ? ['all fields'] : describeRules(rules)),
      ...(format === null ? [] : [FORMAT_WORDS[format]]),
      ...(method === null ? [] : [`sent with ${method}`]),
    ].join(', '),
}

export const FORMAT_WORDS: Readonly<Record<Format, string>> = {
  hookline: 'Hookline payload',
  full: 'whole event',
  standard: 'Standard Webhooks',
  cloudevents: 'CloudEvents',
}

function draftOf(input: Json): ShapeDraft {
  const { sample, fields, format, method } = isJsonObject(input) ? input : {}
  const { keep, drop, hash, salt } = isJsonObject(fields) ? fields : {}
  return {
    sample: isJsonObject(sample) ? sampleDraftOf(sample) : null,
    rules: [
      ...rulesIn(keep, () => 'keep'),
      ...rulesIn(drop, () => 'drop'),
      ...rulesIn(hash, ({ normalize }) => (normalize === 'email' ? 'email' : 'hash')),
    ],
    salt,
    format: FORMATS.find((each) => each === format) ?? null,
    method: WEBHOOK_METHODS.find((each) => each === method) ?? null,
  }
}

function sampleDraftOf({ rate, by }: JsonObject): SampleDraft {
  const percent = typeof rate === 'number' ? String(decimal(rate * 100)) : ''
  return { percent, by: SAMPLE_FIELDS.find((each) => each === by) ?? null }
}

function sampleOf({ percent, by }: SampleDraft): JsonObject {
  const share = numberIn(percent)
  return { ...(share !== undefined && { rate: decimal(share / 100) }), ...(by !== null && { by }) }
}

/** By `messageId`, each event is chosen separately, not each user. */
function describeSample({ percent, by }: SampleDraft): string {
  const all = by === 'messageId' ? 'events' : 'users'
  return `${percent.trim() || BLANK}% of ${all}, chosen by ${by ?? 'userId'}`
}

/** Corrects the last digit: 0.07 * 100 is 7.000000000000001. */
function decimal(value: number): number {
  return Number(value.toPrecision(15))
}

/** Paths are strings, or objects with a `path`. */
function rulesIn(list: Json | undefined, ruleOf: (json: JsonObject) => Rule): readonly RuleDraft[] {
  if (!Array.isArray(list)) return []
  return list.map((each: Json) => {
    const json = isJsonObject(each) ? each : {}
    return { id: draftId(), rule: ruleOf(json), path: textOf(json['path'] ?? each) }
  })
}

function fieldsOf(rules: readonly RuleDraft[], salt: Json | undefined): JsonObject {
  const pathsOf = (rule: Rule): readonly string[] =>
    rules.filter((each) => each.rule === rule).map(({ path }) => path)
  const keep = pathsOf('keep')
  const drop = pathsOf('drop')
  const hash = rules
    .filter(({ rule }) => rule === 'hash' || rule === 'email')
    .map(({ rule, path }) => ({ path, ...(rule === 'email' && { normalize: 'email' }) }))
  return {
    ...(keep.length > 0 && { keep }),
    ...(drop.length > 0 && { drop }),
    ...(hash.length > 0 && { hash }),
    ...(salt !== undefined && { salt }),
  }
}

function describeRules(rules: readonly RuleDraft[]): readonly string[] {
  const describePaths = (words: string, kinds: readonly Rule[]): readonly string[] => {
    const paths = rules.filter(({ rule }) => kinds.includes(rule)).map(({ path }) => nameText(path))
    return paths.length === 0 ? [] : [`${words} ${paths.join(' and ')}`]
  }
  return [
    ...describePaths('only', ['keep']),
    ...describePaths('without', ['drop']),
    ...describePaths('with hashed', ['hash', 'email']),
  ]
}

export function newRule(): RuleDraft {
  return { id: draftId(), rule: 'drop', path: '' }
}
