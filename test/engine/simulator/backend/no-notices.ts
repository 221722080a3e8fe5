import type { LanePorts } from '../../../../packages/server/src/engine/lane-group.ts'

/** A simulation has no deletion notices. */
export const NO_NOTICES: LanePorts['noticeQueue'] = {
  record: async () => undefined,
  claim: async () => ({ deliveries: [], unreadable: [] }),
  claimUnsplit: async () => ({ deliveries: [], unreadable: [] }),
  release: async () => undefined,
  waiting: async () => ({ lanes: [], isUnsplit: false }),
  add: async () => undefined,
}
