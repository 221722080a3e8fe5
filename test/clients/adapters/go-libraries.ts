import { readFileSync } from 'node:fs'
import { goLibrary } from './go-library.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const VERSION = /^const Version = "(.+)"$/m.exec(read('../../../clients/go/doc.go'))![1]!
const NAME = /^module (.+)$/m.exec(read('../../../clients/go/go.mod'))![1]!

export const hooklineGo = goLibrary({
  name: NAME,
  version: VERSION,
  program: 'hookline',
  hasFlush: true,
})

/** Pinned by commit, because the tag 2.1.1 is not a Go module version. */
export const segmentAnalyticsGo2 = goLibrary({
  name: 'segmentio/analytics-go',
  version: '2.1.1',
  program: 'analytics-go-2',
  hasFlush: false,
})

export const segmentAnalyticsGo3 = goLibrary({
  name: 'segmentio/analytics-go',
  version: '3.3.0',
  program: 'analytics-go-3',
  hasFlush: false,
})
