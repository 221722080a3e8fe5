// The entry point of the bundle for analytics.js, which is only published as CommonJS.

import analytics from '@segment/analytics.js-core'
import Segment from '@segment/analytics.js-integration-segmentio'

analytics.use(Segment)
export { analytics }
