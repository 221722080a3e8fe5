import type { Behaviour } from '../behaviour.ts'
import { FLUSHING } from './flushing.ts'
import { PROCESS } from './process.ts'
import { QUEUEING } from './queueing.ts'
import { RETRYING } from './retrying.ts'

/** The suite: what users of client libraries expect, and have been let down in. */
export const BEHAVIOURS: readonly Behaviour[] = [...QUEUEING, ...FLUSHING, ...RETRYING, ...PROCESS]
