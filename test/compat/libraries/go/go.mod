module hookline.test/clients

go 1.22

require (
	github.com/rudderlabs/analytics-go/v4 v4.2.0
	github.com/segmentio/analytics-go v2.0.1-0.20160426181448-2d840d861c32+incompatible // 2.1.1
	github.com/segmentio/analytics-go/v3 v3.3.0
	github.com/segmentio/backo-go v1.0.1
)

require (
	github.com/google/uuid v1.3.0 // indirect
	github.com/jehiah/go-strftime v0.0.0-20171201141054-1d33003b3869 // indirect
	github.com/tidwall/gjson v1.14.4 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/xtgo/uuid v0.0.0-20140804021211-a0b114877d4c // indirect
)
