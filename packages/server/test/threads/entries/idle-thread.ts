import { runThread } from '../../../src/threads/run-thread.ts'

await runThread<object, object, undefined>(async () => ({ functions: {}, stop: async () => {} }))
