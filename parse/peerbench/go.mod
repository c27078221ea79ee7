module github.com/localagent/localagent/parse/peerbench

go 1.26.0

require (
	github.com/RealAlexandreAI/json-repair v0.0.18
	github.com/kaptinlin/jsonrepair v0.2.15
	github.com/localagent/localagent v0.0.0-00010101000000-000000000000
	github.com/ollama/ollama v0.33.0
	github.com/tidwall/gjson v1.20.3
	golang.org/x/sys v0.50.0
)

require (
	github.com/bahlo/generic-list-go v0.2.0 // indirect
	github.com/buger/jsonparser v1.1.2 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mailru/easyjson v0.7.7 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.3.0 // indirect
	github.com/wk8/go-ordered-map/v2 v2.1.8 // indirect
	golang.org/x/crypto v0.59.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/localagent/localagent => ../..

// Ollama's parsers as they were at the version the project's notes measured.
// The project itself needs a later version, of which nothing is used here.
replace github.com/ollama/ollama => github.com/ollama/ollama v0.17.4
