import { expect, test } from 'vitest'
import { read, repositoryFiles } from '@hookline/testing/repository'

/** What a test needs for the CPU time and the memory of a process. */
const FIGURES =
  /\b(?:memoryUsage|cpuUsage|threadCpuUsage|resourceUsage|eventLoopUtilization|monitorEventLoopDelay|measureAgain)\b/
/** An upper limit of a time that has passed. A lower one is a promise that any machine keeps. */
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
