// The programs that drive Go libraries for the suite. This module is not part of the library in clients/go.
module hookline.dev/test/clients

go 1.21

replace hookline.dev/clients/go => ../../../../clients/go

require (
	github.com/segmentio/analytics-go v2.0.1-0.20160426181448-2d840d861c32+incompatible
	github.com/segmentio/analytics-go/v3 v3.3.0
	hookline.dev/clients/go v0.1.0
)

require (
	github.com/bmizerany/assert v0.0.0-20160611221934-b7ed37b82869 // indirect
	github.com/google/uuid v1.3.0 // indirect
	github.com/jehiah/go-strftime v0.0.0-20171201141054-1d33003b3869 // indirect
	github.com/kr/pretty v0.3.1 // indirect
	github.com/segmentio/backo-go v1.0.0 // indirect
	github.com/xtgo/uuid v0.0.0-20140804021211-a0b114877d4c // indirect
)
