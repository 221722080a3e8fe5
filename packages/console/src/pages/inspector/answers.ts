import { INSPECTOR_LIMITS, LIMITS } from '@hookline/protocol'
import { counted, duration } from '../../format/figures.ts'

/** What the inspector responds. */
export interface Answers {
  readonly status: number
  readonly delayMs: number
  /** How many attempts of each delivery get the status; `null`: all of them. */
  readonly failFirst: number | null
}

/** What people try first, with the words. */
export const PRESETS: readonly (readonly [words: string, answers: Answers])[] = [
  ['200 at once', { status: 200, delayMs: 0, failFirst: null }],
  ['Fail the first 2 attempts with 503', { status: 503, delayMs: 0, failFirst: 2 }],
  ['Time out (6 s)', { status: 200, delayMs: 6_000, failFirst: null }],
]

export function isSame(one: Answers, other: Answers): boolean {
  return (
    one.status === other.status &&
    one.delayMs === other.delayMs &&
    one.failFirst === other.failFirst
  )
}

/** What it responds, in a sentence. */
export function answersSentence({ status, delayMs, failFirst }: Answers): string {
  const statuses =
    failFirst === null || status === 200
      ? `${status} to every request`
      : `${status} to the first ${counted(failFirst, 'attempt')} of each delivery, then 200`
  const when = delayMs === 0 ? 'at once' : `after ${duration(delayMs)}`
  const note =
    delayMs < LIMITS.attemptTimeoutMs
      ? ''
      : ` By default, an attempt has ${duration(LIMITS.attemptTimeoutMs)}: it times out, and is repeated.`
  return `It responds ${statuses}, ${when}.${note}`
}

/** What a person has written. */
export interface AnswersDraft {
  readonly status: string
  readonly delayMs: string
  /** Empty: all attempts. */
  readonly failFirst: string
}

type Field = keyof AnswersDraft

export function draftOf({ status, delayMs, failFirst }: Answers): AnswersDraft {
  return {
    status: String(status),
    delayMs: String(delayMs),
    failFirst: failFirst === null ? '' : String(failFirst),
  }
}

const RANGES: Readonly<Record<Field, readonly [least: number, most: number]>> = {
  status: [200, 599],
  delayMs: [0, INSPECTOR_LIMITS.delayMs],
  failFirst: [1, INSPECTOR_LIMITS.failFirst],
}

/** What is wrong with a field. JSON has no value for what is no number, so the service cannot say it. */
export function faultOf(field: Field, draft: AnswersDraft): string | undefined {
  const text = draft[field].trim()
  if (field === 'failFirst' && text === '') return undefined
  const [least, most] = RANGES[field]
  const isInRange = /^\d{1,6}$/.test(text) && Number(text) >= least && Number(text) <= most
  if (isInRange) return undefined
  const orEmpty = field === 'failFirst' ? ', or leave it empty for all attempts' : ''
  return `Write a whole number from ${least} to ${most}${orEmpty}.`
}

/** The draft as the API takes it; `undefined` while something is wrong with it. */
export function answersIn(draft: AnswersDraft): Answers | undefined {
  const fields: readonly Field[] = ['status', 'delayMs', 'failFirst']
  if (fields.some((field) => faultOf(field, draft) !== undefined)) return undefined
  return {
    status: Number(draft.status),
    delayMs: Number(draft.delayMs),
    failFirst: draft.failFirst.trim() === '' ? null : Number(draft.failFirst),
  }
}
