import { fileURLToPath } from 'node:url'
import type { InlineConfig } from 'vitest/node'

/** The Vitest settings for the output of a run. */
export const OUTPUT = {
  reporters: [fileURLToPath(new URL('short-reporter.ts', import.meta.url))],
  silent: 'passed-only' as const,
  diff: { expand: false, contextLines: 3 },
} satisfies InlineConfig
