// The next release: a node that preloads this file has a schema step that only adds.
import { addStep } from './add-step.ts'

addStep('ALTER TABLE deliveries ADD note text; CREATE TABLE added (id txt PRIMARY KEY)')
