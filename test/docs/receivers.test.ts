import { LIMITS } from '@hookline/protocol'
import { expect, it } from 'vitest'
import { SETTINGS } from '../../packages/server/src/settings.ts'
import { read } from '@hookline/testing/repository'

const [SECOND, HOUR] = [1000, 3_600_000]
const PROSE = read('docs/guides/receivers.md')
  .replaceAll(/^```[^]*?^```|^\|.*$/gm, '')
  .replaceAll(/\s+/g, ' ')

it.for([
  `2xx within ${LIMITS.attemptTimeoutMs / SECOND} seconds`,
  `repeated for at most **${LIMITS.retryWindowMs / HOUR} hours**`,
  `For the first ${LIMITS.retryWindowMs / HOUR} hours you need to do nothing`,
  `They are retried for ${LIMITS.noticeRetryWindowMs / HOUR / 24} days`,
  `Events are kept for ${SETTINGS.retentionMs.parse(SETTINGS.retentionMs.default) / HOUR / 24} days`,
  `body limit is ${LIMITS.payloadBytes / 1024 ** 2} MiB`,
])('the guide for receivers says "%s", which matches the code', (sentence) => {
  expect(PROSE).toContain(sentence)
})
