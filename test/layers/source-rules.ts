import { basename, posix } from 'node:path'

/** A rule about files that the linter has no rule for. */
export interface SourceRule {
  readonly name: string
  /** Whether a file of this path, with this text, breaks the rule. */
  readonly breaks: (path: string, text: string) => boolean
  /** A file that breaks it, and one that does not. */
  readonly planted: readonly [path: string, text: string]
  readonly innocent: readonly [path: string, text: string]
}

const SAYS_NOTHING = /^(?:utils?|helpers?|types|common|manager|base)(?:\.|$)/

export const SOURCE_RULES: readonly SourceRule[] = [
  {
    name: 'is named after what it holds',
    breaks: (path) => SAYS_NOTHING.test(basename(path)),
    planted: ['packages/server/src/delivery/helpers.ts', ''],
    innocent: ['packages/server/src/delivery/type-of-answer.ts', ''],
  },
  {
    name: 'reads the time from a Clock, not from new Date()',
    breaks: (path, text) =>
      /^packages\/(?:protocol|server)\/src\//.test(path) &&
      /\bnew Date\(\)|\bnew Date\b(?!\()/.test(text),
    planted: ['packages/server/src/delivery/lane.ts', 'const now = new Date()'],
    innocent: ['packages/server/src/delivery/lane.ts', 'const then = new Date(dueAt)'],
  },
  {
    name: 'of a suite of tests imports no file of another one, but @hookline/testing',
    breaks: (path, text) => {
      // Its texts hold imports that are planted.
      if (path.startsWith('test/layers/')) return false
      const suite = suiteOf(path)
      const imported = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(([, way]) =>
        suiteOf(posix.join(posix.dirname(path), way!)),
      )
      return suite !== undefined && imported.some((other) => other !== undefined && other !== suite)
    },
    planted: ['test/e2e/nodes/a.test.ts', "import { load } from '../../crash/load.ts'"],
    innocent: ['test/e2e/nodes/a.test.ts', "import { load } from '../load.ts'"],
  },
]

/** The folder of the tests of a package, or of a suite in `test`. */
function suiteOf(path: string): string | undefined {
  return /^(?:packages\/[^/]+\/test|test\/[^/]+)(?=\/)/.exec(path)?.[0]
}
