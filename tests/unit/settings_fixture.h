// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads the settings from an environment of the test's making, and takes everything back after it:
// variables, settings, place list and the thread's binding.
#pragma once
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conf/settings.h"
#include "place/places.h"
#include "sys/memory.h"

class SettingsTest : public testing::Test {
protected:
  using Variables = std::initializer_list<std::pair<std::string, std::string>>;

  void SetUp() override {
    sched_getaffinity(0, sizeof mask, &mask);
    reset();
  }
  void TearDown() override { reset(); }

  /// Loads the settings with just these variables of ours; returns what came to stderr.
  std::string load(Variables variables) {
    reset();
    for (const auto& [name, value] : variables)
      setenv(name.c_str(), value.c_str(), 1);
    testing::internal::CaptureStderr();
    xomp::load_settings();
    xomp::complete_settings();
    return testing::internal::GetCapturedStderr();
  }

  static int warnings(std::string_view output) {
    int count = 0;
    for (std::size_t at = 0; (at = output.find("xomp: ", at)) != output.npos; ++at)
      count += at == 0 || output[at - 1] == '\n';
    return count;
  }

private:
  void reset() {
    std::vector<std::string> ours;
    for (char** entry = environ; *entry; ++entry) {
      std::string_view text(*entry);
      for (std::string_view prefix : {"OMP_", "GOMP_", "XOMP_", "KMP_"})
        if (text.starts_with(prefix))
          ours.emplace_back(text.substr(0, text.find('=')));
    }
    for (const std::string& name : ours)
      unsetenv(name.c_str());
    xomp::sys::release(xomp::settings.nthreads_list);
    xomp::sys::release(xomp::settings.bind_list);
    xomp::sys::release(xomp::settings.affinity_format);
    xomp::sys::release(xomp::settings.perflog);
    xomp::settings = xomp::Settings{};
    xomp::clear_places();
    sched_setaffinity(0, sizeof mask, &mask);
  }

  cpu_set_t mask;
};
