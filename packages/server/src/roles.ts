/** The parts of the service that a node may do without. */
interface RoleParts {
  /** It accepts calls. */
  readonly ingests: boolean
  /** It consumes the log and delivers, and does what one node at a time does. */
  readonly delivers: boolean
  /** It serves the management API, the console and the documentation. */
  readonly administers: boolean
}

/** What a node of each role does. Health checks and metrics are served by every one. */
export const ROLES = {
  all: { ingests: true, delivers: true, administers: true },
  ingest: { ingests: true, delivers: false, administers: false },
  deliver: { ingests: false, delivers: true, administers: false },
  api: { ingests: false, delivers: false, administers: true },
} as const satisfies Record<string, RoleParts>
