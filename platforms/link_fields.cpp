#include "platforms/link_fields.hpp"

namespace factosim {

namespace {

/// `bandwidth`: what messages call it where it is missing.
Fields<LinkRate> rate_fields(char const* bandwidth) {
  return {field<&LinkRate::bandwidth>({.name = "bandwidth_Bps",
                                       .meaning = "bandwidth, each way",
                                       .required = true,
                                       .missing = bandwidth}),
          field<&LinkRate::latency>(
              {.name = "latency_s", .meaning = "latency", .required = true, .missing = "seconds"})};
}

}  // namespace

Object<LinkRate> const& object_of(LinkRate const* /*any*/) {
  static Object<LinkRate> const object({.title = "link",
                                        .meaning = "A link between nodes and switches.",
                                        .fields = rate_fields("bytes per second, each way")});
  return object;
}

Object<LinkSpec> const& object_of(LinkSpec const* /*any*/) {
  static Object<LinkSpec> const object(
      {.title = "bus link",
       .meaning = "A link inside a node.",
       .fields = Fields<LinkSpec>{field<&LinkSpec::name>({.name = "name",
                                                          .meaning = "name in routes",
                                                          .required = true,
                                                          .missing = "what routes call the link"})} +
                 within<&LinkSpec::rate>(rate_fields("bytes per second"))});
  return object;
}

}  // namespace factosim
