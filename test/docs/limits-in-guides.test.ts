import { LIMITS } from '@hookline/protocol'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../packages/server/src/settings.ts'
import { readRepositoryFile } from '@hookline/testing/repository'

const [SECOND, HOUR, MIB] = [1000, 3_600_000, 1024 ** 2]
const number = (value: number): string => value.toLocaleString('en')

describe.for<readonly [page: string, sentences: readonly string[]]>([
  [
    'receivers',
    [
      `2xx within ${LIMITS.attemptTimeoutMs / SECOND} seconds`,
      `retried for at most **${LIMITS.retryWindowMs / HOUR} hours**`,
      `you do not need to do anything for the first ${LIMITS.retryWindowMs / HOUR} hours`,
      `they are retried for ${LIMITS.noticeRetryWindowMs / HOUR / 24} days`,
      `Events are kept for ${SETTINGS.retentionMs.parse(SETTINGS.retentionMs.default) / HOUR / 24} days`,
      `bodies of up to ${LIMITS.payloadBytes / MIB} MiB`,
    ],
  ],
  [
    'receiver-authentication',
    [
      `client ID, client secret, scope, audience, resource | ${number(LIMITS.authCharacters)} characters`,
      `intermediates, and key | ${number(LIMITS.pemCharacters)} characters each`,
      `token URL | ${number(LIMITS.webhookUrlCharacters)} characters`,
    ],
  ],
  [
    'filter-and-transform-events',
    [
      `at most ${LIMITS.conditionClauses} clauses, nested up to ${LIMITS.conditionLevels} levels deep, and ${LIMITS.filterComparisons} comparisons`,
      `at most ${LIMITS.eventNamesPerClause} names`,
      `may use ${LIMITS.transformMs} ms of CPU time and ${LIMITS.transformBytes / MIB} MiB of memory`,
      `\`precisionLost\`, at most ${LIMITS.precisionLostFields}`,
      `longer than ${number(LIMITS.filledUrlCharacters)} characters`,
    ],
  ],
])('the guide %s', ([page, sentences]) => {
  const text = readRepositoryFile(`docs/guides/${page}.md`)
    .replaceAll(/^```[^]*?^```/gm, '')
    .replaceAll(/\s+/g, ' ')

  it.for(sentences)('states the values in the code: "%s"', (sentence) => {
    expect(text).toContain(sentence)
  })
})
