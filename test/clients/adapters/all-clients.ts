import type { ClientAdapter } from '../client-adapter.ts'
import { hooklineClient } from './hookline-client.ts'
import { segmentAnalyticsNode } from './segment-analytics-node.ts'

/** The clients in the table, ours first. */
export const CLIENTS: readonly ClientAdapter[] = [hooklineClient, segmentAnalyticsNode]
