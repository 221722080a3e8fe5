// The release after this one: a node that loads this file first knows a step of the schema that only adds.
import { addStep } from './add-step.ts'

addStep('ALTER TABLE deliveries ADD note text; CREATE TABLE added (id txt PRIMARY KEY)')
