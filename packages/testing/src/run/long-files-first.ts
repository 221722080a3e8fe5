import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Test files that take minutes: one that started last would run alone. */
const LONG_FILES = [
  'test/cluster/faults-one-server.test.ts',
  'test/cluster/faults-three-servers.test.ts',
  'packages/server/test/backend/embedded/conformance.test.ts',
  'packages/server/test/backend/embedded/joined-conformance.test.ts',
  'test/crash/kill.test.ts',
]

/** Runs test files that take minutes first. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's `sort`, not an array's
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      LONG_FILES.some((file) => moduleId.endsWith(`/${file}`))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
