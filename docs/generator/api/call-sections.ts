import {
  CALL_EXAMPLES,
  CALL_FIELDS,
  type CallField,
  EVENT_TYPES,
  type EventType,
  OTHER_CALL_FIELDS,
} from '@hookline/protocol'
import { curl } from './curl.ts'
import { code, fence, plain, table } from '../markdown.ts'

const KINDS: Readonly<Record<CallField['kind'], string>> = {
  id: 'string or number',
  text: 'string',
  object: 'object',
}

const PURPOSES: Readonly<Record<EventType, string>> = {
  identify: 'Tells who a user is. The traits are kept in the profile of the user.',
  track: 'Tells what a user did.',
  page: 'Tells which page of a site a user saw.',
  screen: 'Tells which screen of an app a user saw.',
  group: 'Tells which company, team or other group a user belongs to.',
  alias: 'Tells that two ids are the same user.',
}

/** The fields with a fixed type. */
export function fieldsTable(): string {
  const rows = Object.entries<CallField>(CALL_FIELDS).map(([name, field]) => [
    code(name),
    KINDS[field.kind],
    plain(field.meaning),
    code(field.code),
    field.usedBy.length === EVENT_TYPES.length ? 'all' : field.usedBy.join(', '),
  ])
  return table(['field', 'type', 'meaning', 'code for another type', 'used by'], rows)
}

/** The fields that are not validated. */
export function otherFieldsTable(): string {
  const rows = Object.entries(OTHER_CALL_FIELDS).map(([name, meaning]) => [code(name), meaning])
  return [
    table(['other field', 'meaning'], rows),
    'A number as an id becomes a text: `7`, `7.0` and `"7"` are the same id. A number that JSON parsers round is refused with `id_not_exact`: beyond 9007199254740991 it would be the id of another user or call. An id must be valid Unicode in UTF-8, else it is refused with `id_not_unicode`, and it has no control characters (U+0000 to U+001F, U+007F to U+009F), else it is refused with `id_control_character`. Elsewhere, a number beyond 2^53 that JSON parsers round, or one such as `1e-400` that becomes 0, is accepted, and the trace has the mark `precision_lost`. `NaN`, `Infinity` and numbers such as `1e400`, which are too large for JSON parsers, cost the call that has them (`number_not_finite`).',
  ].join('\n\n')
}

/** What each type is for and requires, with an example. */
export function callSections(): string[] {
  return EVENT_TYPES.flatMap((type) => [
    `### ${type}`,
    `${PURPOSES[type]} ${requirements(type)}`,
    fence('sh', curl(`/v1/${type}`, CALL_EXAMPLES[type])),
  ])
}

function requirements(type: EventType): string {
  const required = Object.entries<CallField>(CALL_FIELDS).flatMap(([name, field]) =>
    field.required?.by.includes(type) ? [`\`${name}\` (else \`${field.required.code}\`)`] : [],
  )
  const person = type === 'alias' ? [] : ['`userId` or `anonymousId` (else `no_user_anon_id`)']
  return `Requires ${[...person, ...required].join(' and ')}.`
}
