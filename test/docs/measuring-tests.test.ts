import { expect, test } from 'vitest'
import { read, repositoryFiles } from '@hookline/testing/repository'

/** The functions that read CPU time and memory. */
const FIGURES =
  /\b(?:memoryUsage|cpuUsage|threadCpuUsage|resourceUsage|eventLoopUtilization|monitorEventLoopDelay|measureAgain)\b/
/** An upper limit of elapsed time. Any machine can keep a lower limit. */
const LATEST =
  /(?:(?:Date|performance)\.now\(\) - \w+|\b(?:tookMs|elapsedMs|\w+\.durationMs))\)\.(?:toBeLessThan|toBeLessThanOrEqual)\(/

test('a test that measures is in a file whose name says so, so that it runs alone', () => {
  const files = repositoryFiles().filter(
    (path) => /(?<!\.measuring)\.test\.ts$/.test(path) && !import.meta.url.endsWith(path),
  )
  const measuring = files.filter((file) => {
    const text = read(file)
    return FIGURES.test(text) || LATEST.test(text)
  })
  expect(measuring).toEqual([])
})
