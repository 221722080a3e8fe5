import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import { PROBLEM_CODES } from '@hookline/server/problem-codes'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { problemFailure } from '../../src/api/problem-failure.ts'
import { inCommands } from '../../src/problems/in-commands.ts'
import { sendingWords } from '../../src/problems/sending-words.ts'
import { createProgram } from '../../src/program.ts'
import { reportFailure } from '../../src/report-failure.ts'

/** What no text of the command says. Written apart from the code that avoids it. */
const HTTP =
  /\b(?:GET|POST|PUT|PATCH|DELETE)\b|\b[Bb]ody\b|\b[Qq]uery\b|\/api\/|\/readyz|JSON Pointer|(?:^|\s)\/\w+\/\d/

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))

/** The sentences that the files below `patterns` can put into a response. */
function sentencesIn(...patterns: readonly string[]): string[] {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: PACKAGES }))
  const texts = files.flatMap((file) => {
    const source = readFileSync(PACKAGES + file, 'utf8')
    const literals = source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/g)
    return [...literals].map(([, single, double, template]) => single ?? double ?? template ?? '')
  })
  return [...new Set(texts.filter((text) => /^[A-Za-z{"].* .*[.}]$/.test(text)))]
}

/** What the command prints for a response, for people and for programs. */
function printed(status: number, problem: object): string {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const command = createProgram().commands.find((each) => each.name() === 'send')!
    for (const json of [false, true])
      reportFailure(problemFailure(status, problem), { json, command })
    return write.mock.calls.map(([text]) => String(text)).join('')
  } finally {
    write.mockRestore()
  }
}

/** The pointer of a fault stays for programs. */
const withoutPointers = (text: string) => text.replaceAll(/"pointer":"[^"]*",/g, '')

test.each(Object.entries(PROBLEM_CODES))(
  'the error %s is told without HTTP, and with a remedy',
  (code, { status, title, help }) => {
    for (const errors of [undefined, []]) {
      const text = printed(status, { code, title, detail: help, errors, requestId: 'r1' })
      expect(text).not.toMatch(HTTP)
      expect(text).toMatch(/^error: \S.+\n {2}\S.+\n/)
    }
  },
)

test.each(Object.keys(INGEST_CODES) as IngestCodeName[])(
  'the refusal %s of a call is told without HTTP, and with a remedy',
  (code) => {
    const { message, hint } = sendingWords(code)
    expect(message + hint).not.toMatch(HTTP)
    expect(hint).not.toBe('')
  },
)

test('no sentence of the management API about a request is told in words of HTTP', () => {
  const sentences = sentencesIn(
    'server/src/admin/**/*.ts',
    'server/src/destination-settings/**/*.ts',
    'server/src/audiences/conditions/**/*.ts',
  )
  expect(sentences.length).toBeGreaterThan(300)
  for (const text of sentences) {
    const fault = { pointer: '/settings/webhooks/0/url', code: 'wrong_form' }
    const faults = [{ ...fault, message: text, hint: text }]
    const asFault = printed(422, {
      code: 'invalid_body',
      title: text,
      detail: text,
      errors: faults,
    })
    const asDetail = printed(409, { code: 'wrong_state', title: text, detail: text })
    const asUnknown = printed(404, { code: 'of_a_newer_version', title: text, detail: text })
    for (const shown of [asFault, asDetail, asUnknown])
      expect([text, withoutPointers(shown)]).toEqual([text, expect.not.stringMatching(HTTP)])
  }
})

test('what a trace and a list of failures explain names commands in place of routes', () => {
  const sentences = sentencesIn(
    'server/src/admin/events/trace.ts',
    'server/src/admin/deliveries/waiting.ts',
    'protocol/src/deliveries/delivery.ts',
    'protocol/src/deliveries/attempt-classes.ts',
    'protocol/src/deliveries/delivery-classes.ts',
  )
  expect(sentences.length).toBeGreaterThan(40)
  for (const text of sentences) expect(inCommands(text)).not.toMatch(HTTP)
  expect(inCommands('The destination is paused. POST /destinations/:id/resume resumes it.')).toBe(
    'The destination is paused. `hookline destinations resume <id>` resumes it.',
  )
  expect(inCommands('Enable it with PATCH {"enabled": true}: replay with includeDeclined.')).toBe(
    'Enable it with `hookline destinations enable <id>`: replay with --include-declined.',
  )
})
