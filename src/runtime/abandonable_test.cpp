#include "runtime/abandonable.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "stkr/error.hpp"

namespace stkr::abandonable_test {
namespace {

using namespace std::chrono_literals;

TEST(Abandonable, GivesWhatTheWorkGives) {
  EXPECT_EQ(abandonable({}, [] { return 7; }), 7);
  const std::stop_source source;
  EXPECT_EQ(abandonable(source.get_token(), [] { return 8; }), 8);
}

TEST(Abandonable, RunsOnTheCallersThreadWhereNobodyCanStopIt) {
  EXPECT_EQ(abandonable({}, [] { return std::this_thread::get_id(); }), std::this_thread::get_id());
}

TEST(Abandonable, PassesExceptionsOn) {
  const std::stop_source source;
  EXPECT_THROW(abandonable(source.get_token(), []() -> int { throw ValueError("no"); }),
               ValueError);
}

TEST(Abandonable, LetsTheCallerGoWhileTheWorkGoesOn) {
  std::stop_source source;
  auto finish = std::make_shared<std::atomic<bool>>(false);
  auto finished = std::make_shared<std::atomic<bool>>(false);
  std::jthread stopper([&] {
    std::this_thread::sleep_for(20ms);
    source.request_stop();
  });
  EXPECT_THROW(abandonable(source.get_token(),
                           [finish, finished] {
                             while (!*finish) std::this_thread::sleep_for(1ms);
                             *finished = true;
                             return 1;
                           }),
               Cancelled);
  EXPECT_FALSE(*finished);
  *finish = true;
  while (!*finished) std::this_thread::sleep_for(1ms);
}

}  // namespace
}  // namespace stkr::abandonable_test
