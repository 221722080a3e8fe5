import { NO_SIGNALS } from '../../src/backend/embedded/single-node.ts'
import {
  SharedInspector,
  type SharedInspectorOptions,
} from '../../src/inspector/shared-inspector.ts'

/** The inspector of a single-process service. */
export function sharedOf(inspector: SharedInspectorOptions['inspector']): SharedInspector {
  return new SharedInspector({ inspector, signals: NO_SIGNALS })
}
