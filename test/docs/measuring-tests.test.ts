import { expect, test } from 'vitest'
import { readRepositoryFile, repositoryFiles } from '@hookline/testing/repository'

/** Functions that read CPU time and memory. */
const FIGURES =
  /\b(?:memoryUsage|cpuUsage|threadCpuUsage|resourceUsage|eventLoopUtilization|monitorEventLoopDelay|measureAgain)\b/
/** Upper limits on elapsed time. Lower limits hold on any machine. */
const UPPER_TIME_LIMIT =
  /(?:(?:Date|performance)\.now\(\) - \w+|\b(?:tookMs|elapsedMs|\w+\.durationMs))\)\.(?:toBeLessThan|toBeLessThanOrEqual)\(/

test('measuring tests are in .measuring.test.ts files, so that they run alone', () => {
  const files = repositoryFiles().filter(
    (path) => /(?<!\.measuring)\.test\.ts$/.test(path) && !import.meta.url.endsWith(path),
  )
  const measuring = files.filter((file) => {
    const text = readRepositoryFile(file)
    return FIGURES.test(text) || UPPER_TIME_LIMIT.test(text)
  })
  expect(measuring).toEqual([])
})
